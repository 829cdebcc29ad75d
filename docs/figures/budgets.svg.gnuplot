# What the construction of theorem 4.3 costs
# Drawn by hyseq; this file holds the figure's data: `gnuplot` draws it again.
set encoding utf8
set terminal svg enhanced size 906,758 font 'Arial,12' background '#ffffff'
set output 'budgets.svg'
origin_x = 0.
origin_y = 0.
scale_x = 1.
scale_y = 1.
set multiplot
$grid0 << end
# level=faithful quantity=width x=vocabulary: x y instantiated bound pure
16 18 1 21 ?
32 19 1 23 ?
64 20 1 25 ?
128 21 1 27 ?
256 22 1 29 ?
512 23 1 31 ?
1024 24 1 33 ?
2048 25 1 35 ?
4096 26 1 37 ?
8192 27 0 39 ?
16384 28 0 41 ?
32768 29 0 43 ?
65536 30 0 45 ?
end
$grid1 << end
# level=streaming quantity=width x=vocabulary: x y instantiated bound pure
16 14 1 14 ?
32 15 1 15 ?
64 16 1 16 ?
128 17 1 17 ?
256 18 1 18 ?
512 19 1 19 ?
1024 20 1 20 ?
2048 21 1 21 ?
4096 22 1 22 ?
8192 23 0 23 ?
16384 24 0 24 ?
32768 25 0 25 ?
65536 26 0 26 ?
end
$grid2 << end
# level=faithful quantity=width x=distances: x y instantiated bound pure
2 33 1 43 ?
4 33 1 43 ?
8 33 1 43 ?
16 33 1 43 ?
32 33 1 43 ?
64 33 1 43 ?
128 33 1 43 ?
256 33 1 43 ?
512 33 1 43 ?
1024 33 1 43 ?
end
$grid3 << end
# level=streaming quantity=width x=distances: x y instantiated bound pure
2 21 1 21 ?
4 21 1 21 ?
8 21 1 21 ?
16 21 1 21 ?
32 21 1 21 ?
64 21 1 21 ?
128 21 1 21 ?
256 21 1 21 ?
512 21 1 21 ?
1024 21 1 21 ?
end
$grid4 << end
# level=faithful quantity=width x=length: x y instantiated bound pure
16 16 1 21 ?
32 18 1 23 ?
64 20 1 25 ?
128 22 1 27 ?
256 24 1 29 ?
512 26 1 31 ?
1024 28 1 33 ?
2048 30 1 35 ?
4096 32 1 37 ?
8192 34 1 39 ?
16384 36 1 41 ?
32768 38 1 43 ?
65536 40 1 45 ?
131072 42 1 47 ?
262144 44 1 49 ?
524288 46 1 51 ?
1048576 48 1 53 ?
end
$grid5 << end
# level=faithful quantity=states x=vocabulary: x y instantiated bound pure
16 9 1 17 ?
32 9 1 33 ?
64 9 1 65 ?
128 9 1 129 ?
256 9 1 257 ?
512 9 1 513 ?
1024 9 1 1025 ?
2048 9 1 2049 ?
4096 9 1 4097 ?
8192 9 0 8193 ?
16384 9 0 16385 ?
32768 9 0 32769 ?
65536 9 0 65537 ?
end
$grid6 << end
# level=streaming quantity=states x=vocabulary: x y instantiated bound pure
16 9 1 17 ?
32 9 1 33 ?
64 9 1 65 ?
128 9 1 129 ?
256 9 1 257 ?
512 9 1 513 ?
1024 9 1 1025 ?
2048 9 1 2049 ?
4096 9 1 4097 ?
8192 9 0 8193 ?
16384 9 0 16385 ?
32768 9 0 32769 ?
65536 9 0 65537 ?
end
$grid7 << end
# level=faithful quantity=states x=distances: x y instantiated bound pure
2 3 1 2049 ?
4 5 1 2049 ?
8 9 1 2049 ?
16 17 1 2049 ?
32 33 1 2049 ?
64 65 1 2049 ?
128 129 1 2049 ?
256 257 1 2049 ?
512 513 1 2049 ?
1024 1025 1 2049 ?
end
$grid8 << end
# level=streaming quantity=states x=distances: x y instantiated bound pure
2 3 1 2049 ?
4 5 1 2049 ?
8 9 1 2049 ?
16 17 1 2049 ?
32 33 1 2049 ?
64 65 1 2049 ?
128 129 1 2049 ?
256 257 1 2049 ?
512 513 1 2049 ?
1024 1025 1 2049 ?
end
$grid9 << end
# level=faithful quantity=states x=length: x y instantiated bound pure
16 9 1 35 ?
32 9 1 35 ?
64 9 1 35 ?
128 9 1 35 ?
256 9 1 35 ?
512 9 1 35 ?
1024 9 1 35 ?
2048 9 1 35 ?
4096 9 1 35 ?
8192 9 1 35 ?
16384 9 1 35 ?
32768 9 1 35 ?
65536 9 1 35 ?
131072 9 1 35 ?
262144 9 1 35 ?
524288 9 1 35 ?
1048576 9 1 35 ?
end
$grid10 << end
# level=faithful quantity=window x=vocabulary: x y instantiated bound pure
16 8 1 8 64
32 8 1 8 64
64 8 1 8 64
128 8 1 8 64
256 8 1 8 64
512 8 1 8 64
1024 8 1 8 64
2048 8 1 8 64
4096 8 1 8 64
8192 8 0 8 64
16384 8 0 8 64
32768 8 0 8 64
65536 8 0 8 64
end
$grid11 << end
# level=streaming quantity=window x=vocabulary: x y instantiated bound pure
16 8 1 8 ?
32 8 1 8 ?
64 8 1 8 ?
128 8 1 8 ?
256 8 1 8 ?
512 8 1 8 ?
1024 8 1 8 ?
2048 8 1 8 ?
4096 8 1 8 ?
8192 8 0 8 ?
16384 8 0 8 ?
32768 8 0 8 ?
65536 8 0 8 ?
end
$grid12 << end
# level=faithful quantity=window x=distances: x y instantiated bound pure
2 2 1 2 1024
4 4 1 4 1024
8 8 1 8 1024
16 16 1 16 1024
32 32 1 32 1024
64 64 1 64 1024
128 128 1 128 1024
256 256 1 256 1024
512 512 1 512 1024
1024 1024 1 1024 1024
end
$grid13 << end
# level=streaming quantity=window x=distances: x y instantiated bound pure
2 2 1 2 ?
4 4 1 4 ?
8 8 1 8 ?
16 16 1 16 ?
32 32 1 32 ?
64 64 1 64 ?
128 128 1 128 ?
256 256 1 256 ?
512 512 1 512 ?
1024 1024 1 1024 ?
end
$grid14 << end
# level=faithful quantity=window x=length: x y instantiated bound pure
16 8 1 8 16
32 8 1 8 32
64 8 1 8 64
128 8 1 8 128
256 8 1 8 256
512 8 1 8 512
1024 8 1 8 1024
2048 8 1 8 2048
4096 8 1 8 4096
8192 8 1 8 8192
16384 8 1 8 16384
32768 8 1 8 32768
65536 8 1 8 65536
131072 8 1 8 131072
262144 8 1 8 262144
524288 8 1 8 524288
1048576 8 1 8 1048576
end
$grid15 << end
# level=faithful quantity=working_memory_bits x=vocabulary: x y instantiated bound pure
16 8067.169925001443 1 10756.087462841251 21
32 8515.169925001443 1 11781.044394119359 32.094737505048094
64 8963.169925001443 1 12806.022367813028 40.651484454403224
128 9411.169925001443 1 13831.011227255423 48.348234169259634
256 9859.169925001443 1 14856.005624549194 55.67937417270812
512 10307.169925001443 1 15881.002815015607 62.84095946449941
1024 10755.169925001443 1 16906.001408194392 69.92079280740516
2048 11203.169925001443 1 17931.000704269012 76.96047405801201
4096 11651.169925001443 1 18956.00035217748 83.98025636656335
8192 12099.169925001443 0 19981.000176099486 90.9901330082173
16384 12547.169925001443 0 21006.00008805243 97.99506770916388
32768 12995.169925001443 0 22031.00004402689 104.99753415569859
65536 13443.169925001443 0 23056.00002201361 111.99876715311008
end
$grid16 << end
# level=streaming quantity=working_memory_bits x=vocabulary: x y instantiated bound pure
16 6275.169925001443 1 7172.08746284125 21
32 6723.169925001443 1 7685.044394119358 32.094737505048094
64 7171.169925001443 1 8198.022367813028 40.651484454403224
128 7619.169925001443 1 8711.011227255423 48.348234169259634
256 8067.169925001443 1 9224.005624549194 55.67937417270812
512 8515.169925001443 1 9737.002815015607 62.84095946449941
1024 8963.169925001443 1 10250.001408194394 69.92079280740516
2048 9411.169925001443 1 10763.00070426901 76.96047405801201
4096 9859.169925001443 1 11276.00035217748 83.98025636656335
8192 10307.169925001443 0 11789.000176099486 90.9901330082173
16384 10755.169925001443 0 12302.00008805243 97.99506770916388
32768 11203.169925001443 0 12815.000044026887 104.99753415569859
65536 11651.169925001443 0 13328.000022013612 111.99876715311008
end
$grid17 << end
# level=faithful quantity=working_memory_bits x=distances: x y instantiated bound pure
2 2113.5849625007213 1 5515.000704269011 10.99859042974533
4 6338.321928094887 1 11019.00070426901 32.99153844281287
8 14787.169925001443 1 22027.000704269012 76.96047405801201
16 31684.08746284125 1 44043.00070426901 164.8302703015825
32 65477.04439411936 1 88075.00070426901 340.2956776284974
64 133062.02236781304 1 176139.000704269 690.1143675543731
128 268231.0112272554 1 352267.000704269 1385.1751056422818
256 538568.0056245492 1 704523.000704269 2755.875505124689
512 1079241.0028150156 1 1409035.000704269 5408.915837868511
1024 2160586.001408194 1 2818059.000704269 10230
end
$grid18 << end
# level=streaming quantity=working_memory_bits x=distances: x y instantiated bound pure
2 1345.584962500721 1 2699.0007042690113 10.99859042974533
4 4034.3219280948874 1 5387.000704269011 32.99153844281287
8 9411.169925001443 1 10763.00070426901 76.96047405801201
16 20164.08746284125 1 21515.000704269012 164.8302703015825
32 41669.04439411936 1 43019.00070426901 340.2956776284974
64 84678.02236781303 1 86027.00070426901 690.1143675543731
128 170695.01122725543 1 172043.000704269 1385.1751056422818
256 342728.0056245492 1 344075.000704269 2755.875505124689
512 686793.0028150156 1 688139.000704269 5408.915837868511
1024 1374922.0014081944 1 1376267.000704269 10230
end
$grid19 << end
# level=faithful quantity=working_memory_bits x=length: x y instantiated bound pure
16 7171.169925001443 1 10757.129283016944 32.90307802698764
32 8067.169925001443 1 11781.129283016944 32.90307802698764
64 8963.169925001443 1 12805.129283016944 32.90307802698764
128 9859.169925001443 1 13829.129283016944 32.90307802698764
256 10755.169925001443 1 14853.129283016944 32.90307802698764
512 11651.169925001443 1 15877.129283016944 32.90307802698764
1024 12547.169925001443 1 16901.129283016944 32.90307802698764
2048 13443.169925001443 1 17925.129283016944 32.90307802698764
4096 14339.169925001443 1 18949.129283016944 32.90307802698764
8192 15235.169925001443 1 19973.129283016944 32.90307802698764
16384 16131.169925001443 1 20997.129283016944 32.90307802698764
32768 17027.169925001443 1 22021.129283016944 32.90307802698764
65536 17923.169925001443 1 23045.129283016944 32.90307802698764
131072 18819.169925001443 1 24069.129283016944 32.90307802698764
262144 19715.169925001443 1 25093.129283016944 32.90307802698764
524288 20611.169925001443 1 26117.129283016944 32.90307802698764
1048576 21507.169925001443 1 27141.129283016944 32.90307802698764
end
set border 3 lw 0.8 lc rgb '#333333'
set tics nomirror out scale 0.5 textcolor rgb '#333333'
set grid xtics ytics back lt 1 lw 0.6 lc rgb '#e3e3e3'
unset key
set minussign
set datafile missing '?'
set style fill solid 1
set lmargin at screen (origin_x+scale_x*0.08167770419426049)
set rmargin at screen (origin_x+scale_x*0.3708609271523179)
set bmargin at screen (origin_y+scale_y*0.7255936675461742)
set tmargin at screen (origin_y+scale_y*0.920844327176781)
set logscale x 2
set xrange [9.713559075160376:107949.72181529526]
set xtics ('' 16, '' 128, '' 1024, '' 8192, '' 65536) enhanced
set logscale y 2
set yrange [12.532807165326078:59.20461315744614]
set ytics ('2^{4}' 16, '2^{5}' 32) enhanced
set xlabel '' noenhanced
set ylabel 'width' noenhanced offset 0.5,0
plot $grid0 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid1 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid0 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid0 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid1 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid1 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.38852097130242824)
set rmargin at screen (origin_x+scale_x*0.6777041942604857)
set bmargin at screen (origin_y+scale_y*0.7255936675461742)
set tmargin at screen (origin_y+scale_y*0.920844327176781)
set logscale x 2
set xrange [1.3755418181397436:1488.8678577359972]
set xtics ('' 2, '' 8, '' 32, '' 128, '' 512) enhanced
set logscale y 2
set yrange [12.532807165326078:59.20461315744614]
set ytics ('' 16, '' 32) enhanced
set xlabel '' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid2 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid3 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid2 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid2 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid3 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid3 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.695364238410596)
set rmargin at screen (origin_x+scale_x*0.9845474613686535)
set bmargin at screen (origin_y+scale_y*0.7255936675461742)
set tmargin at screen (origin_y+scale_y*0.920844327176781)
set logscale x 2
set xrange [8.224910613248532:2039805.2682755706]
set xtics ('' 16, '' 128, '' 1024, '' 8192, '' 65536, '' 524288) enhanced
set logscale y 2
set yrange [12.532807165326078:59.20461315744614]
set ytics ('' 16, '' 32) enhanced
set xlabel '' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid4 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid4 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid4 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2'
set lmargin at screen (origin_x+scale_x*0.08167770419426049)
set rmargin at screen (origin_x+scale_x*0.3708609271523179)
set bmargin at screen (origin_y+scale_y*0.5092348284960422)
set tmargin at screen (origin_y+scale_y*0.7044854881266491)
set logscale x 2
set xrange [9.713559075160376:107949.72181529526]
set xtics ('' 16, '' 128, '' 1024, '' 8192, '' 65536) enhanced
set logscale y 2
set yrange [1.6472493185632862:119357.15971124632]
set ytics ('2^{1}' 2, '2^{5}' 32, '2^{9}' 512, '2^{13}' 8192) enhanced
set xlabel '' noenhanced
set ylabel 'states' noenhanced offset 0.5,0
plot $grid5 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid6 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid5 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid5 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid6 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid6 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.38852097130242824)
set rmargin at screen (origin_x+scale_x*0.6777041942604857)
set bmargin at screen (origin_y+scale_y*0.5092348284960422)
set tmargin at screen (origin_y+scale_y*0.7044854881266491)
set logscale x 2
set xrange [1.3755418181397436:1488.8678577359972]
set xtics ('' 2, '' 8, '' 32, '' 128, '' 512) enhanced
set logscale y 2
set yrange [1.6472493185632862:119357.15971124632]
set ytics ('' 2, '' 32, '' 512, '' 8192) enhanced
set xlabel '' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid7 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid8 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid7 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid7 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid8 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid8 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.695364238410596)
set rmargin at screen (origin_x+scale_x*0.9845474613686535)
set bmargin at screen (origin_y+scale_y*0.5092348284960422)
set tmargin at screen (origin_y+scale_y*0.7044854881266491)
set logscale x 2
set xrange [8.224910613248532:2039805.2682755706]
set xtics ('' 16, '' 128, '' 1024, '' 8192, '' 65536, '' 524288) enhanced
set logscale y 2
set yrange [1.6472493185632862:119357.15971124632]
set ytics ('' 2, '' 32, '' 512, '' 8192) enhanced
set xlabel '' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid9 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid9 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid9 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2'
set lmargin at screen (origin_x+scale_x*0.08167770419426049)
set rmargin at screen (origin_x+scale_x*0.3708609271523179)
set bmargin at screen (origin_y+scale_y*0.2928759894459103)
set tmargin at screen (origin_y+scale_y*0.48812664907651715)
set logscale x 2
set xrange [9.713559075160376:107949.72181529526]
set xtics ('' 16, '' 128, '' 1024, '' 8192, '' 65536) enhanced
set logscale y 2
set yrange [0.9075191553171609:2310862.5175708667]
set ytics ('2^{0}' 1, '2^{5}' 32, '2^{10}' 1024, '2^{15}' 32768, '2^{20}' 1048576) enhanced
set xlabel '' noenhanced
set ylabel 'window' noenhanced offset 0.5,0
plot $grid10 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid10 using 1:5 with lines lw 2 dt 3 lc rgb '#8a1c7c', $grid11 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid10 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid10 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid11 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid11 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.38852097130242824)
set rmargin at screen (origin_x+scale_x*0.6777041942604857)
set bmargin at screen (origin_y+scale_y*0.2928759894459103)
set tmargin at screen (origin_y+scale_y*0.48812664907651715)
set logscale x 2
set xrange [1.3755418181397436:1488.8678577359972]
set xtics ('' 2, '' 8, '' 32, '' 128, '' 512) enhanced
set logscale y 2
set yrange [0.9075191553171609:2310862.5175708667]
set ytics ('' 1, '' 32, '' 1024, '' 32768, '' 1048576) enhanced
set xlabel '' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid12 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid12 using 1:5 with lines lw 2 dt 3 lc rgb '#8a1c7c', $grid13 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid12 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid12 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid13 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid13 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.695364238410596)
set rmargin at screen (origin_x+scale_x*0.9845474613686535)
set bmargin at screen (origin_y+scale_y*0.2928759894459103)
set tmargin at screen (origin_y+scale_y*0.48812664907651715)
set logscale x 2
set xrange [8.224910613248532:2039805.2682755706]
set xtics ('' 16, '' 128, '' 1024, '' 8192, '' 65536, '' 524288) enhanced
set logscale y 2
set yrange [0.9075191553171609:2310862.5175708667]
set ytics ('' 1, '' 32, '' 1024, '' 32768, '' 1048576) enhanced
set xlabel '' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid14 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid14 using 1:5 with lines lw 2 dt 3 lc rgb '#8a1c7c', $grid14 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid14 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2'
set lmargin at screen (origin_x+scale_x*0.08167770419426049)
set rmargin at screen (origin_x+scale_x*0.3708609271523179)
set bmargin at screen (origin_y+scale_y*0.07651715039577836)
set tmargin at screen (origin_y+scale_y*0.2717678100263852)
set logscale x 2
set xrange [9.713559075160376:107949.72181529526]
set xtics ('2^{4}' 16, '2^{7}' 128, '2^{10}' 1024, '2^{13}' 8192, '2^{16}' 65536) enhanced
set logscale y 2
set yrange [5.209790348001567:5949313.635527187]
set ytics ('2^{3}' 8, '2^{7}' 128, '2^{11}' 2048, '2^{15}' 32768, '2^{19}' 524288) enhanced
set xlabel 'vocabulary |V|' noenhanced
set ylabel 'memory (bits)' noenhanced offset 0.5,0
plot $grid15 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid15 using 1:5 with lines lw 2 dt 3 lc rgb '#8a1c7c', $grid16 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid15 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid15 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid16 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid16 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.38852097130242824)
set rmargin at screen (origin_x+scale_x*0.6777041942604857)
set bmargin at screen (origin_y+scale_y*0.07651715039577836)
set tmargin at screen (origin_y+scale_y*0.2717678100263852)
set logscale x 2
set xrange [1.3755418181397436:1488.8678577359972]
set xtics ('2^{1}' 2, '2^{3}' 8, '2^{5}' 32, '2^{7}' 128, '2^{9}' 512) enhanced
set logscale y 2
set yrange [5.209790348001567:5949313.635527187]
set ytics ('' 8, '' 128, '' 2048, '' 32768, '' 524288) enhanced
set xlabel 'distances N' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid17 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid17 using 1:5 with lines lw 2 dt 3 lc rgb '#8a1c7c', $grid18 using 1:4 with lines lw 1.2 dt 2 lc rgb '#D55E00', $grid17 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid17 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2', $grid18 using 1:($3==0?$2:NaN) with points pt 8 ps 0.8 lc rgb '#D55E00', $grid18 using 1:($3==1?$2:NaN) with points pt 9 ps 0.8 lc rgb '#D55E00'
set lmargin at screen (origin_x+scale_x*0.695364238410596)
set rmargin at screen (origin_x+scale_x*0.9845474613686535)
set bmargin at screen (origin_y+scale_y*0.07651715039577836)
set tmargin at screen (origin_y+scale_y*0.2717678100263852)
set logscale x 2
set xrange [8.224910613248532:2039805.2682755706]
set xtics ('2^{4}' 16, '2^{7}' 128, '2^{10}' 1024, '2^{13}' 8192, '2^{16}' 65536, '2^{19}' 524288) enhanced
set logscale y 2
set yrange [5.209790348001567:5949313.635527187]
set ytics ('' 8, '' 128, '' 2048, '' 32768, '' 524288) enhanced
set xlabel 'length L' noenhanced
set ylabel '' noenhanced offset 0.5,0
plot $grid19 using 1:4 with lines lw 1.2 dt 1 lc rgb '#0072B2', $grid19 using 1:5 with lines lw 2 dt 3 lc rgb '#8a1c7c', $grid19 using 1:($3==0?$2:NaN) with points pt 6 ps 0.8 lc rgb '#0072B2', $grid19 using 1:($3==1?$2:NaN) with points pt 7 ps 0.8 lc rgb '#0072B2'
set lmargin at screen (origin_x+scale_x*0.037527593818984545)
set rmargin at screen (origin_x+scale_x*0.9845474613686535)
set bmargin at screen (origin_y+scale_y*0.9366754617414248)
set tmargin at screen (origin_y+scale_y*0.9947229551451188)
unset border
unset tics
unset xzeroaxis
unset grid
unset logscale
unset xlabel
unset ylabel
unset title
unset arrow
unset label
set xrange [0:858]
set yrange [0:44]
set label '' at 12,34 point pt 7 lc rgb '#0072B2'
set label 'faithful, built' at 30,34 left textcolor rgb '#333333'
set label '' at 205.60000000000002,34 point pt 6 lc rgb '#0072B2'
set label 'faithful, from lowering' at 223.60000000000002,34 left textcolor rgb '#333333'
set arrow from 387.20000000000005,34 to 411.20000000000005,34 nohead lw 1.2 dt 1 lc rgb '#0072B2'
set label 'faithful, formula' at 417.20000000000005,34 left textcolor rgb '#333333'
set label '' at 592.8000000000001,34 point pt 9 lc rgb '#D55E00'
set label 'streaming, built' at 610.8000000000001,34 left textcolor rgb '#333333'
set label '' at 12,14 point pt 8 lc rgb '#D55E00'
set label 'streaming, from lowering' at 30,14 left textcolor rgb '#333333'
set arrow from 193.60000000000002,14 to 217.60000000000002,14 nohead lw 1.2 dt 2 lc rgb '#D55E00'
set label 'streaming, formula' at 223.60000000000002,14 left textcolor rgb '#333333'
set arrow from 387.20000000000005,14 to 411.20000000000005,14 nohead lw 2 dt 3 lc rgb '#8a1c7c'
set label 'least for a pure model' at 417.20000000000005,14 left textcolor rgb '#333333'
plot -1 notitle
unset label
unset arrow
unset multiplot
unset output
